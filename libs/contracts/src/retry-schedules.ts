/** Retry schedules that a webhook can have. */
export const RETRY_SCHEDULES = ['standard', 'long'] as const;

export type RetrySchedule = (typeof RETRY_SCHEDULES)[number];

/** Maximum number of retries of a delivery, that of the schedule `long`. */
export const RETRY_COUNT_MAX = 9;
