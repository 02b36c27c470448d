-- What the newest access token that was seen of a person says of them: the role, as JSON the projects that the issuer
-- vouches for, and when that token was issued. Empty until one is seen. What the site does later on their behalf, without a
-- token, is judged by it.
ALTER TABLE people ADD COLUMN role TEXT CHECK (role IN ('user', 'operator', 'supplier'));
ALTER TABLE people ADD COLUMN projects TEXT;
ALTER TABLE people ADD COLUMN token_issued_s INTEGER;
