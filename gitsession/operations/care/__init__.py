"""The store looked after: doctor, fsck and its repair, gc, du, and sessions dropped for good."""
