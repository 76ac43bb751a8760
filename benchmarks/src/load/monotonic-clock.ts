const NANOS_PER_MS = 1e6;

/** Returns the milliseconds of CLOCK_MONOTONIC, which all processes of the machine share. */
export const monotonicMs = (): number => Number(process.hrtime.bigint()) / NANOS_PER_MS;
