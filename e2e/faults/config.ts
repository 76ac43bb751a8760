/** Returns the `PATH` in which the system under test searches for nats-server. */
export const readPath = (): string => process.env['PATH'] ?? '';
