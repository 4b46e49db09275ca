UPDATE outgoing SET state = 'dropped', troubled = NULL
WHERE state IN ('batched', 'paused', 'waiting', 'suspended', 'owed', 'failed') AND template = 'records';
