# Writes 24 MB of text in capitals, again and again: one stream read, one written.
import sys
text = open(sys.argv[1], "rb").read()
while True:
    text = text.swapcase()
