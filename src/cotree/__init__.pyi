# made by tools/stubs.py
from cotree import constraints as constraints
from cotree import derivatives as derivatives
from cotree import dynamics as dynamics
from cotree import errors as errors
from cotree import export as export
from cotree import formulations as formulations
from cotree import gallery as gallery
from cotree import integrate as integrate
from cotree import io as io
from cotree import kinematics as kinematics
from cotree import lie as lie
from cotree import model as model
from cotree import papers as papers
from cotree import screws as screws
from cotree import sensors as sensors
from cotree import studies as studies
from cotree import system as system
from cotree import theory as theory
from cotree import topology as topology
from cotree import transitions as transitions
from cotree import typing as typing
from cotree import view as view
from cotree.constraints import assemble as assemble
from cotree.constraints import assembly_modes as assembly_modes
from cotree.constraints import consistent_velocity as consistent_velocity
from cotree.constraints import constraint_bias as constraint_bias
from cotree.constraints import constraint_jacobian as constraint_jacobian
from cotree.constraints import constraint_residual as constraint_residual
from cotree.constraints import mobility as mobility
from cotree.constraints import redundant_rows as redundant_rows
from cotree.constraints import regularization as regularization
from cotree.derivatives import energy_derivatives as energy_derivatives
from cotree.derivatives import forward_dynamics_derivatives as forward_dynamics_derivatives
from cotree.derivatives import inverse_dynamics_derivatives as inverse_dynamics_derivatives
from cotree.derivatives import parameter_derivatives as parameter_derivatives
from cotree.dynamics import center_of_mass as center_of_mass
from cotree.dynamics import energy as energy
from cotree.dynamics import inverse_dynamics as inverse_dynamics
from cotree.dynamics import mass_matrix as mass_matrix
from cotree.dynamics import momentum as momentum
from cotree.export import export_fmu as export_fmu
from cotree.export import export_library as export_library
from cotree.export import export_page as export_page
from cotree.formulations import ODCA as ODCA
from cotree.formulations import Index1 as Index1
from cotree.formulations import ProjectedEquations as ProjectedEquations
from cotree.formulations import Voronets as Voronets
from cotree.formulations import actuator_forces as actuator_forces
from cotree.formulations import forward_dynamics as forward_dynamics
from cotree.formulations import self_stress as self_stress
from cotree.integrate import RK4 as RK4
from cotree.integrate import Adaptive as Adaptive
from cotree.integrate import BatchStepper as BatchStepper
from cotree.integrate import Baumgarte as Baumgarte
from cotree.integrate import CommutatorFree4 as CommutatorFree4
from cotree.integrate import CrouchGrossman3 as CrouchGrossman3
from cotree.integrate import Dop853 as Dop853
from cotree.integrate import Dopri5 as Dopri5
from cotree.integrate import Euler as Euler
from cotree.integrate import Event as Event
from cotree.integrate import GeneralizedAlpha as GeneralizedAlpha
from cotree.integrate import Midpoint as Midpoint
from cotree.integrate import MoreauJean as MoreauJean
from cotree.integrate import NoStabilization as NoStabilization
from cotree.integrate import Partition as Partition
from cotree.integrate import Projection as Projection
from cotree.integrate import Rattlie as Rattlie
from cotree.integrate import Run as Run
from cotree.integrate import Stepper as Stepper
from cotree.integrate import simulate as simulate
from cotree.integrate import simulate_many as simulate_many
from cotree.io import load as load
from cotree.io import load_run as load_run
from cotree.io import read_step as read_step
from cotree.io import save as save
from cotree.kinematics import accelerations as accelerations
from cotree.kinematics import body_jacobian as body_jacobian
from cotree.kinematics import displace as displace
from cotree.kinematics import jacobian_derivative as jacobian_derivative
from cotree.kinematics import normalize as normalize
from cotree.kinematics import poses as poses
from cotree.kinematics import spatial_jacobian as spatial_jacobian
from cotree.kinematics import twists as twists
from cotree.model import PID as PID
from cotree.model import Body as Body
from cotree.model import Box as Box
from cotree.model import Cylinder as Cylinder
from cotree.model import Cylindrical as Cylindrical
from cotree.model import Free as Free
from cotree.model import Harmonic as Harmonic
from cotree.model import Helical as Helical
from cotree.model import Hole as Hole
from cotree.model import Law as Law
from cotree.model import MassProperties as MassProperties
from cotree.model import Mechanism as Mechanism
from cotree.model import Mesh as Mesh
from cotree.model import Planar as Planar
from cotree.model import PlanarTranslation as PlanarTranslation
from cotree.model import Plane as Plane
from cotree.model import Point as Point
from cotree.model import Polynomial as Polynomial
from cotree.model import Prismatic as Prismatic
from cotree.model import Profile as Profile
from cotree.model import Revolute as Revolute
from cotree.model import Rod as Rod
from cotree.model import Schoenflies as Schoenflies
from cotree.model import Section as Section
from cotree.model import Slot as Slot
from cotree.model import Sphere as Sphere
from cotree.model import Spherical as Spherical
from cotree.model import Steps as Steps
from cotree.model import Table as Table
from cotree.model import Translation as Translation
from cotree.model import Trapezoid as Trapezoid
from cotree.model import Universal as Universal
from cotree.model import Weld as Weld
from cotree.model import degrees as degrees
from cotree.model import parameters as parameters
from cotree.model import with_parameters as with_parameters
from cotree.sensors import Sensors as Sensors
from cotree.sensors import measure as measure
from cotree.studies import dynamics_function as dynamics_function
from cotree.studies import emergency_stop as emergency_stop
from cotree.studies import equilibrium as equilibrium
from cotree.studies import fit as fit
from cotree.studies import floquet as floquet
from cotree.studies import inverse_kinematics as inverse_kinematics
from cotree.studies import jacobian as jacobian
from cotree.studies import least_effort as least_effort
from cotree.studies import linearize as linearize
from cotree.studies import linearize_along as linearize_along
from cotree.studies import load_sweep as load_sweep
from cotree.studies import optimize as optimize
from cotree.studies import reading_derivatives as reading_derivatives
from cotree.studies import residual as residual
from cotree.studies import sensitivities as sensitivities
from cotree.studies import singularities as singularities
from cotree.studies import steady_motion as steady_motion
from cotree.studies import sweep as sweep
from cotree.studies import tolerances as tolerances
from cotree.system import System as System
from cotree.system import Systems as Systems
from cotree.theory import christoffel as christoffel
from cotree.theory import coriolis_matrix as coriolis_matrix
from cotree.theory import handle_equations as handle_equations
from cotree.theory import motion_algebra as motion_algebra
from cotree.theory import projection_lengths as projection_lengths
from cotree.theory import reduced as reduced
from cotree.transitions import Transition as Transition
from cotree.transitions import transition as transition

__version__: str
__all__ = [
    "ODCA",
    "PID",
    "RK4",
    "Adaptive",
    "BatchStepper",
    "Baumgarte",
    "Body",
    "Box",
    "CommutatorFree4",
    "CrouchGrossman3",
    "Cylinder",
    "Cylindrical",
    "Dop853",
    "Dopri5",
    "Euler",
    "Event",
    "Free",
    "GeneralizedAlpha",
    "Harmonic",
    "Helical",
    "Hole",
    "Index1",
    "Law",
    "MassProperties",
    "Mechanism",
    "Mesh",
    "Midpoint",
    "MoreauJean",
    "NoStabilization",
    "Partition",
    "Planar",
    "PlanarTranslation",
    "Plane",
    "Point",
    "Polynomial",
    "Prismatic",
    "Profile",
    "ProjectedEquations",
    "Projection",
    "Rattlie",
    "Revolute",
    "Rod",
    "Run",
    "Schoenflies",
    "Section",
    "Sensors",
    "Slot",
    "Sphere",
    "Spherical",
    "Stepper",
    "Steps",
    "System",
    "Systems",
    "Table",
    "Transition",
    "Translation",
    "Trapezoid",
    "Universal",
    "Voronets",
    "Weld",
    "accelerations",
    "actuator_forces",
    "assemble",
    "assembly_modes",
    "body_jacobian",
    "center_of_mass",
    "consistent_velocity",
    "constraint_bias",
    "constraint_jacobian",
    "constraint_residual",
    "degrees",
    "displace",
    "dynamics_function",
    "emergency_stop",
    "energy",
    "energy_derivatives",
    "equilibrium",
    "export_fmu",
    "export_library",
    "export_page",
    "fit",
    "floquet",
    "forward_dynamics",
    "forward_dynamics_derivatives",
    "inverse_dynamics",
    "inverse_dynamics_derivatives",
    "inverse_kinematics",
    "jacobian",
    "jacobian_derivative",
    "least_effort",
    "linearize",
    "linearize_along",
    "load",
    "load_run",
    "load_sweep",
    "mass_matrix",
    "measure",
    "mobility",
    "momentum",
    "normalize",
    "optimize",
    "parameter_derivatives",
    "parameters",
    "poses",
    "read_step",
    "reading_derivatives",
    "redundant_rows",
    "regularization",
    "residual",
    "save",
    "self_stress",
    "sensitivities",
    "simulate",
    "simulate_many",
    "singularities",
    "spatial_jacobian",
    "steady_motion",
    "sweep",
    "tolerances",
    "transition",
    "twists",
    "with_parameters",
]
