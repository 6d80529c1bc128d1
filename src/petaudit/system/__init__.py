"""Files, folders, memory and output of the machine."""
