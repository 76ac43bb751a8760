import { useMutation, useQueryClient } from '@tanstack/react-query';
import { describeError } from '../../../api/api-error.ts';
import { ConfirmDialog } from '../../../ui/dialog.tsx';
import { Notice } from '../../../ui/page-state.tsx';
import { notify } from '../../../ui/toast.tsx';
import { deleteServer, mcpServersQuery } from './mcp-servers-query.ts';
import type { McpServer } from './mcp-servers-query.ts';

type DeleteServerDialogProps = { server: McpServer; onClose: () => void };

export const DeleteServerDialog = ({ server, onClose }: DeleteServerDialogProps) => {
  const client = useQueryClient();
  const deleting = useMutation({
    mutationFn: deleteServer,
    onSuccess: async () => {
      notify(`The server “${server.name}” is deleted`);
      onClose();
      await client.invalidateQueries({ queryKey: mcpServersQuery.queryKey });
    },
  });
  return (
    <ConfirmDialog
      title={`Delete “${server.name}”?`}
      isOpen
      onClose={onClose}
      action="Delete the server"
      isPending={deleting.isPending}
      onConfirm={() => deleting.mutate(server.id)}
    >
      <p>Its tools are deleted, too, and agents have them no longer. This cannot be undone.</p>
      {deleting.isError && <Notice tone="bad">{describeError(deleting.error)}</Notice>}
    </ConfirmDialog>
  );
};
