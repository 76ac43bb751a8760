/** A text that a model or, with `fromTemplate`, a template wrote. */
export type Written = { fromTemplate: boolean; templateReason?: string | null };

const REASONS: Readonly<Record<string, string>> = {
  no_provider: 'no provider of models is configured',
  unavailable: 'the model could not be reached',
  form: 'the model did not answer in the required form',
  numbers: 'the text of the model had figures that were not computed',
  incomplete: 'the text of the model left out a proposition or a dissenting member',
  figures: 'the text of the model did not agree with the figures',
  votes: 'the text of the model did not agree with the votes',
};

/** Returns why a text was written by rules instead of a model. */
export const describeTemplate = ({ templateReason }: Written): string => {
  const reason = REASONS[templateReason ?? ''];
  return reason === undefined
    ? 'Written by rules, not by a model.'
    : `Written by rules, because ${reason}.`;
};
