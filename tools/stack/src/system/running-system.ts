export type RunningSystem = {
  baseUrl: string;
  adminUrls: Readonly<Record<string, string>>;
  pids: () => Record<string, number>;
  /**
   * For tests of outages, standalone only: stops one service and returns a function that starts it.
   */
  interrupt?: (service: string) => Promise<() => Promise<void>>;
  stop: () => Promise<void>;
};
