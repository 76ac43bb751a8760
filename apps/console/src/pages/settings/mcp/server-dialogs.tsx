import { useState } from 'react';
import { useChange } from '../../../app/use-change.ts';
import { DialogForm } from '../../../ui/dialog-form.tsx';
import { ConfirmDialog, Dialog } from '../../../ui/dialog.tsx';
import { formatCountOf } from '../../../ui/format.ts';
import { TextField } from '../../../ui/text-field.tsx';
import { notify } from '../../../ui/toast.tsx';
import { addServer, deleteServer, KEYS_OF_SERVERS } from './mcp-servers-query.ts';
import type { McpServer } from './mcp-servers-query.ts';

export const AddServerDialog = ({ onClose }: { onClose: () => void }) => {
  const [name, setName] = useState('');
  const [url, setUrl] = useState('');
  const [authorization, setAuthorization] = useState('');
  const adding = useChange({
    run: () => {
      const headers = authorization === '' ? {} : { headers: { Authorization: authorization } };
      return addServer({ name: name.trim(), url: url.trim(), ...headers });
    },
    changes: KEYS_OF_SERVERS,
    onDone: ({ server }) => {
      notify(`“${server.name}” has ${formatCountOf(server.tools.length, 'tool')}`);
      onClose();
    },
  });
  return (
    <Dialog title="Add an MCP server" isOpen onClose={onClose}>
      <DialogForm
        action="Add the server"
        isPending={adding.isPending}
        problem={adding.error}
        onSubmit={() => adding.mutate()}
        onClose={onClose}
      >
        <TextField
          label="Name"
          autoFocus
          value={name}
          onChange={setName}
          hint="Its tools are named after it, such as tickets__search"
        />
        <TextField
          label="URL"
          type="url"
          value={url}
          onChange={setUrl}
          hint="A public https address"
        />
        <TextField
          label="Authorization header"
          type="password"
          autoComplete="off"
          value={authorization}
          onChange={setAuthorization}
          hint="May be empty. Sent with every request and never shown again"
        />
        <p className="muted">
          The tools that the server lists now are accepted. No agent has one until you link it.
        </p>
      </DialogForm>
    </Dialog>
  );
};

type DeleteServerDialogProps = { server: McpServer; onClose: () => void };

export const DeleteServerDialog = ({ server, onClose }: DeleteServerDialogProps) => {
  const deleting = useChange({
    run: () => deleteServer(server.id),
    changes: KEYS_OF_SERVERS,
    onDone: () => {
      notify(`The server “${server.name}” is deleted`);
      onClose();
    },
  });
  return (
    <ConfirmDialog
      title={`Delete “${server.name}”?`}
      isOpen
      onClose={onClose}
      action="Delete the server"
      isPending={deleting.isPending}
      error={deleting.error}
      onConfirm={() => deleting.mutate()}
    >
      <p>Its tools are deleted, too, and no agent can call them. This cannot be undone.</p>
    </ConfirmDialog>
  );
};
