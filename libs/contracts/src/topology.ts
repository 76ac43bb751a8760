import declared from '../../../deploy/nats/topology.json' with { type: 'json' };

/** The streams and consumers of the broker, as `deploy/nats/topology.json` says. */
export const topology = declared;
