"""Writes the JSON Schema of model files into the package, after a change of the structures in `cotree.io`."""

from cotree.io.native.schema import FILE, as_text

if __name__ == "__main__":
    FILE.write_text(as_text(), encoding="utf-8")
    print(f"wrote {FILE.name}")
