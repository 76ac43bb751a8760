import { useEffect, useRef, useState } from 'react';
import { useMutation } from '@tanstack/react-query';
import type { CallRequest } from './call-request.ts';
import type { DialectName } from './dialects.ts';
import { sendCall } from './send-call.ts';
import type { CallProgress } from './send-call.ts';

export type SentCall = { dialect: DialectName; request: CallRequest };

/** Makes one call at a time; a call that is stopped, or whose page is left, is aborted. */
export const useCall = () => {
  const [progress, setProgress] = useState<CallProgress>();
  const [isStopped, setStopped] = useState(false);
  const controller = useRef<AbortController>(undefined);
  useEffect(() => () => controller.current?.abort(), []);
  const sending = useMutation({
    mutationFn: async (call: SentCall) => {
      const { signal } = (controller.current = new AbortController());
      setStopped(false);
      setProgress(undefined);
      try {
        await sendCall({ ...call, signal, onProgress: setProgress });
      } catch (error) {
        if (!signal.aborted) throw error;
        setStopped(true);
      }
    },
  });
  return {
    call: sending.variables,
    progress,
    isStopped,
    isPending: sending.isPending,
    error: sending.error,
    send: sending.mutate,
    stop: () => controller.current?.abort(),
  };
};

export type Call = ReturnType<typeof useCall>;
