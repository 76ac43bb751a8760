/** One place that can answer: a provider by its name, and the model to ask there. */
export type Target = {
  provider: string;
  model: string;
  /** Share of the conversations that begin here; 0 in a list without weights. */
  weight: number;
};

/** The operator's own runtime: what is sent there has not left the machine. */
export const LOCAL_PROVIDER = 'local';

/** Answers in this process, without a model. */
export const OFFLINE_PROVIDER = 'offline';

/** A target outside every list of targets. */
export const toTarget = (provider: string, model: string): Target => ({
  provider,
  model,
  weight: 0,
});
