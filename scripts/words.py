# SPDX-License-Identifier: MIT
"""Kinds of words that scripts take on their command line."""
import argparse


def positive(text):
    number = int(text)
    if number <= 0:
        raise argparse.ArgumentTypeError("it must be at least 1")
    return number


def names_from(known):
    """For an option that takes some of these names, with commas between."""
    def names(text):
        unknown = [name for name in text.split(",") if name not in known]
        if unknown:
            raise argparse.ArgumentTypeError(f"'{unknown[0]}' is none of {', '.join(known)}")
        return text.split(",")
    return names
