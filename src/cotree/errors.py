"""Every error that Cotree raises on purpose; each message names the body, joint or loop and says what to do."""


class CotreeError(Exception):
    """Base of all errors of this package."""


class ModelError(CotreeError, ValueError):
    """The description of a mechanism is invalid."""


class DuplicateNameError(ModelError):
    """A name that is already in use."""


class UnknownNameError(ModelError, KeyError):
    """A name that does not exist in the mechanism."""

    def __str__(self) -> str:  # KeyError would show the repr
        return str(self.args[0]) if self.args else ""


class ForeignBodyError(ModelError):
    """A body or joint that belongs to another mechanism."""


class UnconnectedError(ModelError):
    """A body that is not connected to ground by joints, or a joint that connects a body with itself."""


class MassError(ModelError):
    """A mass that is negative, or missing where it is needed."""


class InertiaError(ModelError):
    """An inertia tensor that is physically impossible."""


class AxisError(ModelError):
    """An axis of zero length, or two parallel axes where they must differ."""


class FrameError(ModelError):
    """A frame that is not a rigid-body pose, or joint frames that do not coincide in the reference assembly."""


class NotFiniteError(ModelError):
    """NaN or infinity where a finite number is needed."""


class CoordinatesError(ModelError):
    """Coordinates that a joint does not support, or an unknown type of system."""


class ForceError(ModelError):
    """A force, spring or motor that cannot be applied as described."""


class ConstraintError(ModelError):
    """A driver, coupling, contact or constraint equation that cannot hold as described."""


class SwitchError(ModelError):
    """A lock, brake, limit or dock that cannot act as described."""


class EventError(ModelError):
    """An event function that cannot be called, or that does not return a number."""


class FunctionError(CotreeError, RuntimeError):
    """A user function that was interrupted for an unknown reason."""


class DocumentError(ModelError):
    """An invalid model or results file, with the location of the error; or something that cannot be stored in a file."""


class UnsafeFileError(DocumentError):
    """A file that is refused: it declares XML entities, or is too large or too deeply nested."""


class MissingFunctionError(ModelError):
    """A function named in a model file was not supplied."""


class AssemblyError(CotreeError, ArithmeticError):
    """A loop that could not be closed from the given starting point."""


class MotionError(CotreeError, ArithmeticError):
    """A velocity or an acceleration that the constraints do not allow."""


class EquilibriumError(CotreeError, ArithmeticError):
    """A rest position or a steady motion that was not found from the given start."""


class ReachError(CotreeError, ArithmeticError):
    """A target that a body does not reach from the given start."""


class StepError(CotreeError, ArithmeticError):
    """A step of a stepper that cannot be taken, or a run that it cannot give."""


class ActuationError(CotreeError, ArithmeticError):
    """A motion that the actuators cannot produce."""


class ArgumentError(CotreeError, TypeError):
    """An argument of the wrong type, often because arguments were passed in the wrong order."""


class ShapeError(CotreeError, ValueError):
    """An array of the wrong shape, or a value that is not a number."""


class ChoiceError(CotreeError, ValueError):
    """An option that is not among the allowed values."""


class StudyError(CotreeError, ValueError):
    """A study that cannot be made as described, or a study of a paper that is incomplete or does not exist."""


class MissingAttributeError(CotreeError, AttributeError):
    """An attribute that does not exist; the message suggests what may have been meant."""


class CopyError(CotreeError, TypeError):
    """An object that cannot be copied or sent to another process."""


class MissingPackageError(CotreeError, ImportError):
    """An optional package that is needed but not installed."""


class SingularError(CotreeError, ArithmeticError):
    """The equations of motion have no unique solution at this state."""


class UntrustedRunError(CotreeError, ArithmeticError):
    """A run that ended with warnings although `run.trusted()` was requested; `run` holds it."""

    def __init__(self, text: str, run: object = None) -> None:
        super().__init__(text)
        self.run = run


class ExportError(CotreeError, RuntimeError):
    """Code that runs without Python cannot be made."""


class ViewError(CotreeError, OSError):
    """A live view that cannot be opened, as where its port is not available, or a film that cannot be written."""

    def __str__(self) -> str:  # OSError would look for a number in it
        return str(self.args[0]) if self.args else ""


class CotreeWarning(UserWarning):
    """Base of all warnings of this package."""


class CotreeDeprecationWarning(CotreeWarning, DeprecationWarning):
    """An old name that will be removed in the next release; the message gives the new one."""


class ModelWarning(CotreeWarning):
    """A likely mistake in the description of a mechanism."""


class RunWarning(CotreeWarning):
    """A reason to doubt a run. kind: one of `integrate.checks.run_warnings.KINDS`; t [s]: the time it refers to, if any."""

    def __init__(self, kind: str, text: str, t: float | None = None) -> None:
        super().__init__(text)
        self.kind, self.t = kind, t

    def __reduce__(self) -> tuple[type, tuple[str, str, float | None]]:
        return RunWarning, (self.kind, str(self), self.t)


class RowsWarning(CotreeWarning):
    """Rows of a run are too far apart for what is read from them."""


class StudyWarning(CotreeWarning):
    """Points of a study that failed or are missing, stored results that had to be computed again, or derivatives by numbers
    that open loops."""


class SingularWarning(CotreeWarning):
    """An acceleration or a force that is not unique, or not finite, at a singular configuration."""


class CacheWarning(CotreeWarning):
    """Compiled code cannot be cached on this machine, or takes long to be made with this version of Numba."""
