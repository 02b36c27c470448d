-- When a token ends by itself, and when it was used last; unknown of tokens and processes of earlier releases.
ALTER TABLE api_tokens ADD COLUMN expires_s BIGINT;
ALTER TABLE api_tokens ADD COLUMN used_s BIGINT;
-- What it may do of what its role may, words with spaces between; everything where it is null.
ALTER TABLE api_tokens ADD COLUMN actions TEXT;
