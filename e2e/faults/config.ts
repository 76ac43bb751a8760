/** Returns the `PATH` on which the tested system searches for nats-server. */
export const readPath = (): string => process.env['PATH'] ?? '';
