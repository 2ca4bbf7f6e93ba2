"""Every error that Cotree raises on purpose; each message names the body, joint or loop and says what to do."""


class CotreeError(Exception):
    """Base of all errors of this package."""


class ModelError(CotreeError, ValueError):
    """The description of a mechanism is wrong."""


class DuplicateNameError(ModelError):
    """A name is given twice."""


class UnknownNameError(ModelError, KeyError):
    """A name that the mechanism does not have."""

    def __str__(self) -> str:  # KeyError would show the repr
        return str(self.args[0]) if self.args else ""


class ForeignBodyError(ModelError):
    """A body or joint of another mechanism."""


class UnconnectedError(ModelError):
    """A body that no joint connects to ground, or a joint between a body and itself."""


class MassError(ModelError):
    """A mass that is negative, or missing where it is needed."""


class InertiaError(ModelError):
    """An inertia tensor that no rigid body can have."""


class AxisError(ModelError):
    """An axis of zero length, or two axes that must not be parallel."""


class FrameError(ModelError):
    """A frame that is no rigid pose, or frames that do not meet in the reference assembly."""


class NotFiniteError(ModelError):
    """NaN or infinity where a number is needed."""


class CoordinatesError(ModelError):
    """Coordinates that a joint does not have, or an unknown kind of system."""


class ForceError(ModelError):
    """A force, spring or motor that cannot be applied as described."""


class ConstraintError(ModelError):
    """A driver, coupling, contact or row that cannot hold as described."""


class SwitchError(ModelError):
    """A lock, brake, limit or dock that cannot act as described."""


class EventError(ModelError):
    """An event function that cannot be called, or that returns no number."""


class FunctionError(CotreeError, RuntimeError):
    """A function of the user that was broken off, nobody knows by what."""


class DocumentError(ModelError):
    """A model or results file with something wrong in it, at a named place; or something that no file can hold."""


class UnsafeFileError(DocumentError):
    """A file that is not read at all: it declares entities, or is larger or deeper than any model."""


class MissingFunctionError(ModelError):
    """A function that a model file names, and that nobody has given."""


class AssemblyError(CotreeError, ArithmeticError):
    """A loop that cannot be closed from where the search began."""


class MotionError(CotreeError, ArithmeticError):
    """A velocity or an acceleration that the constraints do not allow."""


class ActuationError(CotreeError, ArithmeticError):
    """A motion that the actuators cannot produce."""


class ArgumentError(CotreeError, TypeError):
    """Something of another kind than the argument takes, often since arguments are in another order."""


class ShapeError(CotreeError, ValueError):
    """An array of the wrong shape, or a value that is not a number."""


class ChoiceError(CotreeError, ValueError):
    """A word or a number that is none of those to choose from."""


class StudyError(CotreeError, ValueError):
    """A study of a paper that says too little, or that is not there."""


class MissingAttributeError(CotreeError, AttributeError):
    """A name that the package does not have."""


class CopyError(CotreeError, TypeError):
    """Something that cannot be copied or sent to another process."""


class MissingPackageError(CotreeError, ImportError):
    """An optional package that is needed here and is not installed."""


class SingularError(CotreeError, ArithmeticError):
    """The equations of motion have no unique solution at this state."""


class UntrustedRunError(CotreeError, ArithmeticError):
    """A run with warnings, where `strict=True` was asked for; `run` is that run."""

    def __init__(self, text: str, run: object = None) -> None:
        super().__init__(text)
        self.run = run


class ViewError(CotreeError, OSError):
    """A live view that cannot be opened, since the port cannot be had."""

    def __str__(self) -> str:  # OSError would look for a number in it
        return str(self.args[0]) if self.args else ""


class CotreeWarning(UserWarning):
    """Base of all warnings of this package."""


class ModelWarning(CotreeWarning):
    """Something in the description of a mechanism that looks like a mistake."""


class RunWarning(CotreeWarning):
    """Something about a run that its user must know before trusting it; kind: one of `integrate.trust.KINDS`; t [s]: when,
    where it belongs to a time."""

    def __init__(self, kind: str, text: str, t: float | None = None) -> None:
        super().__init__(text)
        self.kind, self.t = kind, t

    def __reduce__(self) -> tuple[type, tuple[str, str, float | None]]:
        return RunWarning, (self.kind, str(self), self.t)


class SingularWarning(CotreeWarning):
    """An acceleration or a force that is not unique, or not finite, at a singular configuration."""


class CacheWarning(CotreeWarning):
    """Compiled code cannot be stored on this machine."""
