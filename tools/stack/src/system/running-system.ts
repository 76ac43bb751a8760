/** Services that run, however they are spread over processes. */
export type RunningSystem = {
  baseUrl: string;
  adminUrls: Readonly<Record<string, string>>;
  /** Changes when a process was restarted. */
  pids: () => Record<string, number>;
  stop: () => Promise<void>;
};
