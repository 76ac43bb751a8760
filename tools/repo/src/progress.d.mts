export type Progress = {
  show: (text: string) => void;
  end: (text?: string) => void;
};

type Output = { write: (text: string) => unknown; isTTY?: boolean; columns?: number };

export function openProgress(stream?: Output): Progress;
