export type Lever = {
  name: string;
  description: string;
  min: number;
  max: number;
  defaultValue: number;
};
