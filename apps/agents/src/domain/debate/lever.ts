/** A number that the agents of a panel choose. */
export type Lever = {
  name: string;
  description: string;
  min: number;
  max: number;
  /** Used for agents that do not choose a value. */
  defaultValue: number;
};
