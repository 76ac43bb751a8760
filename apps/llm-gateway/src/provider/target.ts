export type Target = {
  provider: string;
  model: string;
  /** Share of the conversations that start at this target; 0 in a list without weights. */
  weight: number;
};

/** The operator's own runtime; requests to it count as local. */
export const LOCAL_PROVIDER = 'local';

export const OFFLINE_PROVIDER = 'offline';

export const toTarget = (provider: string, model: string): Target => ({
  provider,
  model,
  weight: 0,
});
