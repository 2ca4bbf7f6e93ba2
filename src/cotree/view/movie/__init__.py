"""Still pictures and films of runs, drawn without a browser."""

from cotree.view.movie.writing import write_movie, write_picture

__all__ = ["write_movie", "write_picture"]
