import { useMutation, useQueryClient } from '@tanstack/react-query';
import { describeError } from '../../api/api-error.ts';
import { ConfirmDialog } from '../../ui/dialog.tsx';
import { Notice } from '../../ui/page-state.tsx';
import { notify } from '../../ui/toast.tsx';
import type { Agent } from './agents-query.ts';
import { deleteMemory, memoriesQuery } from './memories-query.ts';
import type { Memory } from './memories-query.ts';

type ForgetDialogProps = { agent: Agent; memory: Memory; onClose: () => void };

export const ForgetDialog = ({ agent, memory, onClose }: ForgetDialogProps) => {
  const client = useQueryClient();
  const forgetting = useMutation({
    mutationFn: () => deleteMemory(agent.id, memory.id),
    onSuccess: async () => {
      notify(`${memory.key} is forgotten`);
      onClose();
      // A global memory is one of every agent.
      await client.invalidateQueries({
        queryKey: memory.global ? ['agent'] : memoriesQuery(agent.id).queryKey,
      });
    },
  });
  return (
    <ConfirmDialog
      title={`Forget “${memory.key}”?`}
      isOpen
      onClose={onClose}
      action="Forget"
      isPending={forgetting.isPending}
      onConfirm={forgetting.mutate}
    >
      <p>
        {memory.global ? 'Every agent of the workspace' : agent.name} forgets it, with its earlier
        values. This cannot be undone.
      </p>
      {forgetting.isError && <Notice tone="bad">{describeError(forgetting.error)}</Notice>}
    </ConfirmDialog>
  );
};
