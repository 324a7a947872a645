"""Parsers for the arguments of the scripts here."""
import argparse


def names(accepted):
    """Returns a parser for comma-separated names out of `accepted`."""
    def parse(text):
        chosen = text.split(",")
        if wrong := [name for name in chosen if name not in accepted]:
            raise argparse.ArgumentTypeError(f"{wrong[0]}: not one of {', '.join(accepted)}")
        return chosen
    return parse


def numbers(text):
    """Parses comma-separated whole numbers."""
    return [int(number) for number in text.split(",")]
