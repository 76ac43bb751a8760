import declared from '../../../deploy/nats/topology.json' with { type: 'json' };

export const topology = declared;
