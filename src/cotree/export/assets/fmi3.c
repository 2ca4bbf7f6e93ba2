/* FMI 3.0 for co-simulation around an exported mechanism. Variables: 0 the time, then inputs, then outputs (variables.h). */
#include "cotree_model.h"
#include "mechanism.h"
#include "variables.h"
#include <math.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#define EXPORT __attribute__((visibility("default")))
enum { OK = 0, DISCARD = 2, ERROR = 3 };
typedef struct {
    unsigned char memory[CT_SIZE];
    ct_model *model;
} unit;
typedef struct {
    unsigned char bytes[CT_SIZE];
} state;

/* Functions of FMI that units for co-simulation with numbers alone need not have. */
#define FOR_OTHERS(X) \
    X(fmi3ActivateModelPartition) X(fmi3CompletedIntegratorStep) X(fmi3DeserializeFMUState) \
    X(fmi3EnterConfigurationMode) X(fmi3EnterContinuousTimeMode) X(fmi3EnterEventMode) X(fmi3EvaluateDiscreteStates) \
    X(fmi3ExitConfigurationMode) X(fmi3GetAdjointDerivative) X(fmi3GetBinary) X(fmi3GetBoolean) X(fmi3GetClock) \
    X(fmi3GetContinuousStateDerivatives) X(fmi3GetContinuousStates) X(fmi3GetDirectionalDerivative) \
    X(fmi3GetEventIndicators) X(fmi3GetFloat32) X(fmi3GetInt16) X(fmi3GetInt32) X(fmi3GetInt64) X(fmi3GetInt8) \
    X(fmi3GetIntervalDecimal) X(fmi3GetIntervalFraction) X(fmi3GetNominalsOfContinuousStates) \
    X(fmi3GetNumberOfContinuousStates) X(fmi3GetNumberOfEventIndicators) X(fmi3GetNumberOfVariableDependencies) \
    X(fmi3GetOutputDerivatives) X(fmi3GetShiftDecimal) X(fmi3GetShiftFraction) X(fmi3GetString) X(fmi3GetUInt16) \
    X(fmi3GetUInt32) X(fmi3GetUInt64) X(fmi3GetUInt8) X(fmi3GetVariableDependencies) X(fmi3SerializeFMUState) \
    X(fmi3SerializedFMUStateSize) X(fmi3SetBinary) X(fmi3SetBoolean) X(fmi3SetClock) X(fmi3SetContinuousStates) \
    X(fmi3SetFloat32) X(fmi3SetInt16) X(fmi3SetInt32) X(fmi3SetInt64) X(fmi3SetInt8) X(fmi3SetIntervalDecimal) \
    X(fmi3SetIntervalFraction) X(fmi3SetShiftDecimal) X(fmi3SetShiftFraction) X(fmi3SetString) X(fmi3SetTime) \
    X(fmi3SetUInt16) X(fmi3SetUInt32) X(fmi3SetUInt64) X(fmi3SetUInt8) X(fmi3UpdateDiscreteStates)
#define NOT_HERE(name) EXPORT int name(void) { return ERROR; }
#define NO_INSTANCE(name) EXPORT void *name(void) { return NULL; }
FOR_OTHERS(NOT_HERE)
NO_INSTANCE(fmi3InstantiateModelExchange)
NO_INSTANCE(fmi3InstantiateScheduledExecution)

EXPORT const char *fmi3GetVersion(void) { return "3.0"; }
EXPORT int fmi3SetDebugLogging(void *u, bool on, size_t n, const char *const categories[]) {
    (void)u, (void)on, (void)n, (void)categories;
    return OK;
}
EXPORT void *fmi3InstantiateCoSimulation(
    const char *name, const char *token, const char *resources, bool visible, bool logging, bool events, bool early,
    const uint32_t required[], size_t n, void *environment, void *log, void *update) {
    (void)name, (void)resources, (void)visible, (void)logging, (void)events, (void)early, (void)required, (void)n;
    (void)environment, (void)log, (void)update;
    if (!token || strcmp(token, CT_FMI_TOKEN)) return NULL;
    unit *u = calloc(1, sizeof *u);
    if (u && !(u->model = ct_init(u->memory, sizeof u->memory, CT_MECHANISM))) {
        free(u);
        u = NULL;
    }
    return u;
}
EXPORT void fmi3FreeInstance(void *u) { free(u); }
EXPORT int fmi3EnterInitializationMode(
    void *u, bool tolerances, double tolerance, double start, bool stops, double stop) {
    ct_model *m = ((unit *)u)->model;
    (void)tolerances, (void)tolerance, (void)stops, (void)stop;
    double q[CT_NQ + 1], v[CT_NV + 1];
    memcpy(q, ct_q(m), CT_NQ * sizeof *q);
    memcpy(v, ct_v(m), CT_NV * sizeof *v);
    return start == ct_time(m) || ct_set_state(m, start, q, v) >= 0 ? OK : ERROR;
}
EXPORT int fmi3ExitInitializationMode(void *u) { (void)u; return OK; }
EXPORT int fmi3EnterStepMode(void *u) { (void)u; return OK; }
EXPORT int fmi3Terminate(void *u) { (void)u; return OK; }
EXPORT int fmi3Reset(void *u) {
    unit *it = u;
    it->model = ct_init(it->memory, sizeof it->memory, CT_MECHANISM);
    return it->model ? OK : ERROR;
}

static int get(ct_model *m, uint32_t variable, double *value, double *a, bool *known) {
    if (variable == 0) {
        *value = ct_time(m);
    } else if (variable <= CT_N_INPUTS) {
        *value = ct_input(m, (int)variable - 1);
    } else if (variable <= CT_N_INPUTS + CT_FMI_OUTPUTS) {
        int what = fmi_kinds[variable - 1 - CT_N_INPUTS], at = fmi_places[variable - 1 - CT_N_INPUTS];
        if (what == 2 && !*known) {
            if (ct_forward_dynamics(m, ct_time(m), ct_q(m), ct_v(m), a) < 0) return ERROR;
            *known = true;
        }
        *value = what == 0 ? ct_q(m)[at] : what == 1 ? ct_v(m)[at] : a[at];
    } else {
        return ERROR;
    }
    return OK;
}
EXPORT int fmi3GetFloat64(void *u, const uint32_t variables[], size_t n, double values[], size_t n_values) {
    double a[CT_NV + 1];
    bool known = false;
    if (n != n_values) return ERROR;
    for (size_t k = 0; k < n; k++)
        if (get(((unit *)u)->model, variables[k], &values[k], a, &known)) return ERROR;
    return OK;
}
EXPORT int fmi3SetFloat64(void *u, const uint32_t variables[], size_t n, const double values[], size_t n_values) {
    if (n != n_values) return ERROR;
    for (size_t k = 0; k < n; k++)
        if (variables[k] == 0 || ct_set_input(((unit *)u)->model, (int)variables[k] - 1, values[k])) return ERROR;
    return OK;
}
EXPORT int fmi3DoStep(
    void *u, double t, double size, bool final, bool *event, bool *terminate, bool *early, double *reached) {
    ct_model *m = ((unit *)u)->model;
    double count = ceil(size / CT_FMI_STEP - 1e-9);
    (void)t, (void)final;
    *event = *terminate = *early = false;
    if (count < 1) count = 1;
    int status = count > 1e9 ? CT_ARGUMENT : ct_step(m, size / count, (int)count);
    *reached = ct_time(m);
    return status == CT_OK ? OK : DISCARD;
}

/* All that an instance is lies in its memory. */
EXPORT int fmi3GetFMUState(void *u, void **kept) {
    if (!*kept && !(*kept = malloc(sizeof(state)))) return ERROR;
    return ct_save(((unit *)u)->model, *kept, sizeof(state)) ? ERROR : OK;
}
EXPORT int fmi3SetFMUState(void *u, void *kept) {
    return ct_restore(((unit *)u)->model, kept, sizeof(state)) ? ERROR : OK;
}
EXPORT int fmi3FreeFMUState(void *u, void **kept) {
    (void)u;
    free(*kept);
    *kept = NULL;
    return OK;
}
