/** One number that the agents of a panel decide on. */
export type Lever = {
  name: string;
  description: string;
  min: number;
  max: number;
  /** What stands when nobody says otherwise. */
  defaultValue: number;
};
