/** What a schema tells about a value to be found. */
export type Hint = {
  /** The property's name; empty at the root. Items of an array have the array's name. */
  readonly name: string;
  readonly description: string;
  /** Which one of several: the index in an array, so that items differ. */
  readonly ordinal: number;
  /** False: better no value than an invented one. */
  readonly isRequired: boolean;
};

/** Where `fillSchema` gets its values: the conversation, or the question for a tool's arguments. */
export type ValueFinder = {
  /** A text for the property; undefined when the words hold none. */
  readonly findText: (hint: Hint) => string | undefined;
  /** A number for the property; undefined when the words hold none. */
  readonly findNumber: (hint: Hint) => number | undefined;
  /** Whether the words speak of the property; undefined when unknown. */
  readonly findTruth: (hint: Hint) => boolean | undefined;
  /** The first text of this form (an address, a date) in the words. */
  readonly findForm: (form: RegExp) => string | undefined;
  /** The listed options that the words name, best first. */
  readonly findNamed: (options: readonly unknown[]) => unknown[];
  /** How many items a list should have when the schema leaves it open. */
  readonly countItems: (hint: Hint) => number;
};
