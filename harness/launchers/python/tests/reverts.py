"""Prints the error of each transaction of a list, as the launcher raises it."""

import json
import os
import sys

from slipway_launcher import RevertError, attach

platform = attach(json.loads(os.environ["SLIPWAY_READY"]))
for transaction in json.loads(sys.argv[1]):
    try:
        platform.succeeded(transaction)
        print("succeeded")
    except RevertError as error:
        print(f"{error.error_name}({', '.join(f'{name}: {value}' for name, value in error.arguments.items())})")
