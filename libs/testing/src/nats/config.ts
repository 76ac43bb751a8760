/** Where a test may look for a nats-server: the `PATH` of the run. */
export const readTestPath = (): string => process.env['PATH'] ?? '';
