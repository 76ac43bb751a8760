export type Hint = {
  /** The property's name; empty at the root. Array items have the array's name. */
  readonly name: string;
  readonly description: string;
  /** Index of an array item, so that items get different values. */
  readonly ordinal: number;
  /** If false, the property is better left out than filled with an invented value. */
  readonly isRequired: boolean;
};

/** Source of values for `fillSchema`: the conversation, or the question for tool arguments. */
export type ValueFinder = {
  readonly findText: (hint: Hint) => string | undefined;
  readonly findNumber: (hint: Hint) => number | undefined;
  /** Returns whether the text affirms the property; undefined if it does not mention it. */
  readonly findBoolean: (hint: Hint) => boolean | undefined;
  /** Returns the first match of a format, such as an address or a date. */
  readonly findPattern: (form: RegExp) => string | undefined;
  readonly findNamed: (options: readonly unknown[]) => unknown[];
  readonly countItems: (hint: Hint) => number;
};
