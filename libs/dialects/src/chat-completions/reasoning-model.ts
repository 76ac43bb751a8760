/** OpenAI's reasoning models, which refuse sampling parameters; `gpt-5-chat` is none. */
const REASONING_MODEL = /^(?:o\d|gpt-(?:[5-9]|\d\d)(?!-chat))/;
/** Reasoning models that refuse the effort `low`. */
const NO_LOW_EFFORT = /^(?:o1-(?:mini|preview)|.+-pro(?:$|-))/;

/** Whether a model counts the reasoning before its answer against the output limit. */
export const isReasoningModel = (model: string): boolean => REASONING_MODEL.test(model);

/** Whether a short answer may be asked for with the effort `low`. */
export const takesLowEffort = (model: string): boolean =>
  isReasoningModel(model) && !NO_LOW_EFFORT.test(model);
