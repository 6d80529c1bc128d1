"""How many people of a population are unique, estimated from the class sizes of a sample."""
