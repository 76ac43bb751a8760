import declared from '../../../deploy/nats/topology.json' with { type: 'json' };

/** Streams and consumers of the broker. */
export const topology = declared;
