"""The place of this process in the pool of its worker."""


def process_index() -> int:
    """0, 1, … among the processes of the pool."""
    from billiard.process import current_process

    return int(getattr(current_process(), "index", 0) or 0)
