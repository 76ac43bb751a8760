import { readModelAddress } from './read-model-address.ts';

/**
 * Returns whether the gateway chose `model` instead of the client. Flags of the requested model
 * address are ignored.
 */
export const isChosenByGateway = (requested: string, model: string): boolean =>
  requested !== model && readModelAddress(requested).name !== model;
