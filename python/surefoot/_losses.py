"""Names of the losses by what they are for."""

#: Losses of numbers.
NUMBERS = ("squared", "huber", "absolute", "quantile", "poisson", "gamma", "tweedie")
#: Losses of any number of classes.
MANY = ("auto", "softmax", "ovr")
#: Losses with a log link, whose labels are at least 0.
POSITIVE = ("poisson", "gamma", "tweedie")
