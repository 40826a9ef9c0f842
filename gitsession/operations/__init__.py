"""The work behind each verb of Repository: one file a verb, plain functions, values in and out."""
