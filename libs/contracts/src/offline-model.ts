/**
 * Model name of the offline provider, which answers by rules while no provider is configured.
 * Services compare it with the model of an answer to say that no model wrote it.
 */
export const OFFLINE_MODEL = 'witan-offline';
