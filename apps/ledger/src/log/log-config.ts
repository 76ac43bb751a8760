/** The operator's settings of the transparency log. */
export type LogConfig = {
  /** Name of the log. It must never change, because witnesses know the log by it. */
  origin: string;
  keyFile: string;
  intervalMs: number;
  /** If true, an epoch is written at each interval, so that epochs do not show activity. */
  isCover: boolean;
  /** Text of the operator's policy; undefined if no witnesses are needed. */
  policy: string | undefined;
  /** File with the last published checkpoint, on another volume than the database. */
  anchorFile: string | undefined;
};
