"""Care of the store: doctor, fsck and its repair, gc, du, and sessions dropped for good."""
