import { useMutation, useQueryClient } from '@tanstack/react-query';
import type { QueryKey } from '@tanstack/react-query';

type Change<Output, Input> = {
  run: (input: Input) => Promise<Output>;
  /** Keys of the queries that the change makes outdated, with all below them. */
  changes: readonly QueryKey[] | ((input: Input) => readonly QueryKey[]);
  onDone?: (output: Output) => void;
  /** For a change without a form, in which the error would be shown. */
  onError?: (error: Error) => void;
};

/** A mutation that loads what it changed again. */
export const useChange = <Output, Input = void>({
  run,
  changes,
  onDone,
  onError,
}: Change<Output, Input>) => {
  const client = useQueryClient();
  return useMutation({
    mutationFn: run,
    onSuccess: async (output, input) => {
      onDone?.(output);
      const keys = typeof changes === 'function' ? changes(input) : changes;
      await Promise.all(keys.map((queryKey) => client.invalidateQueries({ queryKey })));
    },
    ...(onError ? { onError } : {}),
  });
};
