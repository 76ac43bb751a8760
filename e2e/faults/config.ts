/** Where the system under test may look for a nats-server: the `PATH` of the run. */
export const readPath = (): string => process.env['PATH'] ?? '';
