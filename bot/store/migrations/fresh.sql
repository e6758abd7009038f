-- What the revisions up to 0027 make. Written by python -m bot.store.migrations
CREATE TABLE alembic_version (
	version_num VARCHAR(32) NOT NULL,
	CONSTRAINT alembic_version_pkc PRIMARY KEY (version_num)
);
CREATE TABLE repositories (
	id INTEGER NOT NULL,
	name TEXT NOT NULL,
	web TEXT NOT NULL,
	forge TEXT NOT NULL,
	indexed_by TEXT NOT NULL, revision BIGINT DEFAULT 0 NOT NULL,
	CONSTRAINT pk_repositories PRIMARY KEY (id),
	CONSTRAINT uq_repositories_name UNIQUE (name)
);
CREATE TABLE changes (
	id INTEGER NOT NULL,
	repository_id INTEGER NOT NULL,
	sha TEXT NOT NULL,
	committed_at BIGINT NOT NULL,
	number BIGINT,
	level SMALLINT NOT NULL,
	score FLOAT NOT NULL,
	graded_by TEXT NOT NULL,
	facts_version INTEGER NOT NULL,
	omitted INTEGER NOT NULL,
	author_key TEXT NOT NULL, area TEXT,
	CONSTRAINT pk_changes PRIMARY KEY (id),
	CONSTRAINT uq_changes_repository_id_sha UNIQUE (repository_id, sha),
	CONSTRAINT fk_changes_repository_id FOREIGN KEY(repository_id) REFERENCES repositories (id) ON DELETE CASCADE
);
CREATE INDEX ix_changes_walk ON changes (repository_id, committed_at, sha, level, author_key);
CREATE INDEX ix_changes_repository_id_number ON changes (repository_id, number);
CREATE TABLE contents (
	change_id INTEGER NOT NULL,
	authored_at BIGINT NOT NULL,
	author TEXT NOT NULL,
	email TEXT NOT NULL,
	parents TEXT NOT NULL,
	reasons TEXT NOT NULL,
	subject TEXT NOT NULL,
	message TEXT NOT NULL,
	facts TEXT NOT NULL,
	CONSTRAINT pk_contents PRIMARY KEY (change_id),
	CONSTRAINT fk_contents_change_id FOREIGN KEY(change_id) REFERENCES changes (id) ON DELETE CASCADE
);
CREATE TABLE change_texts (
	change_id INTEGER NOT NULL,
	subject TEXT NOT NULL,
	body TEXT NOT NULL,
	paths TEXT NOT NULL,
	names TEXT NOT NULL,
	CONSTRAINT pk_change_texts PRIMARY KEY (change_id),
	CONSTRAINT fk_change_texts_change_id FOREIGN KEY(change_id) REFERENCES changes (id) ON DELETE CASCADE
);
CREATE TABLE change_topics (
	repository_id INTEGER NOT NULL,
	topic TEXT NOT NULL,
	committed_at BIGINT NOT NULL,
	change_id INTEGER NOT NULL,
	CONSTRAINT pk_change_topics PRIMARY KEY (repository_id, topic, committed_at, change_id),
	CONSTRAINT fk_change_topics_repository_id FOREIGN KEY(repository_id) REFERENCES repositories (id) ON DELETE CASCADE
)
 WITHOUT ROWID

;
CREATE TABLE change_paths (
	change_id INTEGER NOT NULL,
	path TEXT NOT NULL,
	repository_id INTEGER NOT NULL,
	committed_at BIGINT NOT NULL,
	CONSTRAINT pk_change_paths PRIMARY KEY (change_id, path),
	CONSTRAINT fk_change_paths_change_id FOREIGN KEY(change_id) REFERENCES changes (id) ON DELETE CASCADE,
	CONSTRAINT fk_change_paths_repository_id FOREIGN KEY(repository_id) REFERENCES repositories (id) ON DELETE CASCADE
)
 WITHOUT ROWID

;
CREATE INDEX ix_change_paths_repository_id_path_committed_at ON change_paths (repository_id, path, committed_at);
CREATE VIRTUAL TABLE change_search USING fts5(
            subject, body, paths, names,
            content = 'change_texts', content_rowid = 'change_id',
            tokenize = 'trigram case_sensitive 1'
        );
CREATE TABLE tips (
	repository_id INTEGER NOT NULL,
	branch TEXT NOT NULL,
	channel TEXT NOT NULL,
	sha TEXT NOT NULL,
	CONSTRAINT pk_tips PRIMARY KEY (repository_id, branch, channel),
	CONSTRAINT fk_tips_repository_id FOREIGN KEY(repository_id) REFERENCES repositories (id) ON DELETE CASCADE
);
CREATE TABLE outcomes (
	repository_id INTEGER NOT NULL,
	sha TEXT NOT NULL,
	branch TEXT NOT NULL,
	channel TEXT NOT NULL,
	state TEXT NOT NULL,
	why TEXT NOT NULL,
	CONSTRAINT pk_outcomes PRIMARY KEY (repository_id, sha, branch, channel),
	CONSTRAINT fk_outcomes_repository_id FOREIGN KEY(repository_id) REFERENCES repositories (id) ON DELETE CASCADE
);
CREATE TABLE deliveries (
	id INTEGER NOT NULL,
	platform TEXT NOT NULL,
	channel TEXT NOT NULL,
	digest TEXT NOT NULL,
	content TEXT NOT NULL,
	done BOOLEAN NOT NULL, at BIGINT DEFAULT 0 NOT NULL,
	CONSTRAINT pk_deliveries PRIMARY KEY (id),
	CONSTRAINT uq_deliveries_platform_channel_digest UNIQUE (platform, channel, digest)
);
CREATE INDEX ix_deliveries_undone ON deliveries (id) WHERE NOT done;
CREATE TABLE delivery_parts (
	delivery_id INTEGER NOT NULL,
	part INTEGER NOT NULL,
	state TEXT NOT NULL,
	receipt TEXT NOT NULL,
	error TEXT NOT NULL,
	CONSTRAINT pk_delivery_parts PRIMARY KEY (delivery_id, part),
	CONSTRAINT fk_delivery_parts_delivery_id FOREIGN KEY(delivery_id) REFERENCES deliveries (id) ON DELETE CASCADE
);
CREATE TABLE slots (
	subscription TEXT NOT NULL,
	slot TEXT NOT NULL, at BIGINT DEFAULT 0 NOT NULL,
	CONSTRAINT pk_slots PRIMARY KEY (subscription, slot)
);
CREATE TABLE digests (
	name TEXT NOT NULL,
	repository TEXT NOT NULL,
	branch TEXT NOT NULL,
	since BIGINT NOT NULL,
	until BIGINT NOT NULL,
	zone TEXT NOT NULL,
	created_at BIGINT NOT NULL,
	document TEXT NOT NULL,
	report TEXT NOT NULL,
	counts TEXT NOT NULL,
	tip TEXT NOT NULL,
	outcomes TEXT NOT NULL, mark TEXT DEFAULT '' NOT NULL,
	CONSTRAINT pk_digests PRIMARY KEY (name)
);
CREATE INDEX ix_digests_created_at ON digests (created_at);
CREATE TABLE analyses (
	id INTEGER NOT NULL,
	repository_id INTEGER NOT NULL,
	sha TEXT NOT NULL,
	diff TEXT NOT NULL,
	facts_version INTEGER NOT NULL,
	prompt TEXT NOT NULL,
	model TEXT NOT NULL,
	language TEXT NOT NULL,
	made_at BIGINT NOT NULL,
	failure TEXT NOT NULL,
	content TEXT NOT NULL,
	CONSTRAINT pk_analyses PRIMARY KEY (id),
	CONSTRAINT uq_analyses_basis UNIQUE (repository_id, sha, facts_version, prompt, model, language),
	CONSTRAINT fk_analyses_repository_id FOREIGN KEY(repository_id) REFERENCES repositories (id) ON DELETE CASCADE
);
CREATE INDEX ix_analyses_repository_id_diff ON analyses (repository_id, diff);
CREATE TABLE leads (
	repository_id INTEGER NOT NULL,
	shown TEXT NOT NULL,
	prompt TEXT NOT NULL,
	model TEXT NOT NULL,
	language TEXT NOT NULL,
	made_at BIGINT NOT NULL,
	failure TEXT NOT NULL,
	content TEXT NOT NULL,
	CONSTRAINT pk_leads PRIMARY KEY (repository_id, shown, prompt, model, language),
	CONSTRAINT fk_leads_repository_id FOREIGN KEY(repository_id) REFERENCES repositories (id) ON DELETE CASCADE
);
CREATE TABLE model_calls (
	id INTEGER NOT NULL,
	at BIGINT NOT NULL,
	kind TEXT NOT NULL,
	repository TEXT NOT NULL,
	channel TEXT NOT NULL,
	person TEXT NOT NULL,
	subject TEXT NOT NULL,
	model TEXT NOT NULL,
	rung TEXT NOT NULL,
	outcome TEXT NOT NULL,
	seconds FLOAT NOT NULL,
	calls INTEGER NOT NULL,
	input_tokens BIGINT NOT NULL,
	cached_tokens BIGINT NOT NULL,
	output_tokens BIGINT NOT NULL,
	cost BIGINT NOT NULL,
	currency TEXT NOT NULL,
	estimated BOOLEAN NOT NULL,
	CONSTRAINT pk_model_calls PRIMARY KEY (id)
);
CREATE INDEX ix_model_calls_at ON model_calls (at);
CREATE TABLE change_lines (
	change_id INTEGER NOT NULL,
	language TEXT NOT NULL,
	spans TEXT NOT NULL,
	CONSTRAINT pk_change_lines PRIMARY KEY (change_id, language),
	CONSTRAINT fk_change_lines_change_id FOREIGN KEY(change_id) REFERENCES changes (id) ON DELETE CASCADE
)
 WITHOUT ROWID

;
CREATE VIRTUAL TABLE change_pairs USING fts5(
            pairs, content = '', detail = none, columnsize = 0, tokenize = 'ascii'
        );
CREATE TABLE known_topics (
	id INTEGER NOT NULL,
	repository_id INTEGER NOT NULL,
	topic TEXT NOT NULL,
	CONSTRAINT pk_known_topics PRIMARY KEY (id),
	CONSTRAINT uq_known_topics_repository_id_topic UNIQUE (repository_id, topic),
	CONSTRAINT fk_known_topics_repository_id FOREIGN KEY(repository_id) REFERENCES repositories (id) ON DELETE CASCADE
);
CREATE VIRTUAL TABLE topic_search USING fts5(
            topic, content = 'known_topics', content_rowid = 'id',
            tokenize = 'trigram case_sensitive 1'
        );
CREATE TABLE conversations (
	platform TEXT NOT NULL,
	chat TEXT NOT NULL,
	thread TEXT NOT NULL,
	person TEXT NOT NULL,
	at BIGINT NOT NULL,
	state TEXT NOT NULL,
	CONSTRAINT pk_conversations PRIMARY KEY (platform, chat, thread, person)
);
CREATE INDEX ix_conversations_at ON conversations (at);
CREATE TABLE looks (
	platform TEXT NOT NULL,
	chat TEXT NOT NULL,
	person TEXT NOT NULL,
	repository TEXT NOT NULL,
	at BIGINT NOT NULL,
	tip TEXT NOT NULL,
	CONSTRAINT pk_looks PRIMARY KEY (platform, chat, person, repository)
);
CREATE TABLE refusals (
	account TEXT NOT NULL,
	chat TEXT NOT NULL,
	reason TEXT NOT NULL,
	detail TEXT NOT NULL,
	strikes BIGINT NOT NULL,
	since BIGINT NOT NULL,
	parked_at BIGINT NOT NULL,
	probes BIGINT NOT NULL,
	next_probe BIGINT NOT NULL,
	CONSTRAINT pk_refusals PRIMARY KEY (account, chat)
);
CREATE TABLE amendments (
	platform TEXT NOT NULL,
	channel TEXT NOT NULL,
	digest TEXT NOT NULL,
	sha TEXT NOT NULL,
	by_sha TEXT NOT NULL,
	by_name TEXT NOT NULL,
	at BIGINT NOT NULL,
	state TEXT NOT NULL,
	CONSTRAINT pk_amendments PRIMARY KEY (platform, channel, digest, sha, by_sha)
);
CREATE INDEX ix_amendments_state ON amendments (state);
CREATE TABLE forge_pages (
	account TEXT NOT NULL,
	address TEXT NOT NULL,
	at BIGINT NOT NULL,
	etag TEXT NOT NULL,
	link TEXT NOT NULL,
	body TEXT NOT NULL,
	CONSTRAINT pk_forge_pages PRIMARY KEY (account, address)
);
CREATE INDEX ix_forge_pages_at ON forge_pages (at);
CREATE TABLE requests (
	repository_id INTEGER NOT NULL,
	number BIGINT NOT NULL,
	state TEXT NOT NULL,
	merge_commit TEXT NOT NULL,
	updated_at BIGINT NOT NULL,
	seen_at BIGINT NOT NULL,
	content TEXT NOT NULL,
	graded TEXT NOT NULL,
	CONSTRAINT pk_requests PRIMARY KEY (repository_id, number),
	CONSTRAINT fk_requests_repository_id FOREIGN KEY(repository_id) REFERENCES repositories (id) ON DELETE CASCADE
);
CREATE INDEX ix_requests_repository_id_merge_commit ON requests (repository_id, merge_commit);
CREATE TABLE forge_marks (
	repository_id INTEGER NOT NULL,
	read_until BIGINT NOT NULL,
	CONSTRAINT pk_forge_marks PRIMARY KEY (repository_id),
	CONSTRAINT fk_forge_marks_repository_id FOREIGN KEY(repository_id) REFERENCES repositories (id) ON DELETE CASCADE
);
CREATE TABLE heard (
	account TEXT NOT NULL,
	chat TEXT NOT NULL,
	message TEXT NOT NULL,
	at BIGINT NOT NULL,
	state TEXT NOT NULL,
	receipt TEXT NOT NULL,
	asked TEXT NOT NULL,
	CONSTRAINT pk_heard PRIMARY KEY (account, chat, message)
);
CREATE INDEX ix_heard_at ON heard (at);
CREATE TABLE feedback (
	repository TEXT NOT NULL,
	subject TEXT NOT NULL,
	platform TEXT NOT NULL,
	chat TEXT NOT NULL,
	person TEXT NOT NULL,
	verdict TEXT NOT NULL,
	level TEXT NOT NULL,
	score FLOAT,
	reasons TEXT NOT NULL,
	at BIGINT NOT NULL,
	CONSTRAINT pk_feedback PRIMARY KEY (repository, subject, platform, chat, person)
);
CREATE INDEX ix_feedback_at ON feedback (at);
CREATE TABLE profiles (
	owner TEXT NOT NULL,
	repository TEXT NOT NULL,
	entries TEXT NOT NULL,
	alerts INTEGER NOT NULL,
	tip TEXT NOT NULL, person TEXT DEFAULT '' NOT NULL,
	CONSTRAINT pk_profiles PRIMARY KEY (owner, repository)
);
CREATE TABLE reports (
	"key" TEXT NOT NULL,
	markdown TEXT NOT NULL,
	CONSTRAINT pk_reports PRIMARY KEY ("key")
);
CREATE INDEX ix_digests_report ON digests (report);
CREATE TABLE inbox (
	"key" TEXT NOT NULL,
	account TEXT NOT NULL,
	kind TEXT NOT NULL,
	content TEXT NOT NULL,
	trace TEXT NOT NULL,
	at BIGINT NOT NULL,
	tries INTEGER NOT NULL,
	CONSTRAINT pk_inbox PRIMARY KEY ("key")
);
CREATE INDEX ix_slots_at ON slots (at);
CREATE INDEX ix_changes_weight ON changes (repository_id, level, area);
CREATE TABLE chats (
	platform TEXT NOT NULL,
	account TEXT NOT NULL,
	chat TEXT NOT NULL,
	settings TEXT NOT NULL,
	CONSTRAINT pk_chats PRIMARY KEY (platform, account, chat)
);
CREATE TABLE chat_subscriptions (
	platform TEXT NOT NULL,
	account TEXT NOT NULL,
	chat TEXT NOT NULL,
	repository TEXT NOT NULL,
	kind TEXT NOT NULL,
	schedule TEXT NOT NULL,
	known TEXT NOT NULL,
	CONSTRAINT pk_chat_subscriptions PRIMARY KEY (platform, account, chat, repository, kind)
);
CREATE TABLE stretches (
	repository_id INTEGER NOT NULL,
	branch TEXT NOT NULL,
	since BIGINT NOT NULL,
	until BIGINT NOT NULL,
	CONSTRAINT pk_stretches PRIMARY KEY (repository_id, branch, since),
	CONSTRAINT fk_stretches_repository_id FOREIGN KEY(repository_id) REFERENCES repositories (id) ON DELETE CASCADE
);
CREATE INDEX ix_digests_mark ON digests (mark);
CREATE TABLE local_weights (
	repository_id INTEGER NOT NULL,
	shipped TEXT NOT NULL,
	release TEXT NOT NULL,
	since BIGINT NOT NULL,
	content TEXT NOT NULL,
	CONSTRAINT pk_local_weights PRIMARY KEY (repository_id, shipped, release),
	CONSTRAINT fk_local_weights_repository_id FOREIGN KEY(repository_id) REFERENCES repositories (id) ON DELETE CASCADE
);
CREATE INDEX ix_changes_reach ON changes (repository_id, id);
CREATE INDEX ix_known_topics_reach ON known_topics (repository_id, id);
INSERT INTO change_search(change_search, rank) VALUES ('hashsize', 8388608);
INSERT INTO change_pairs(change_pairs, rank) VALUES ('hashsize', 8388608);
INSERT INTO alembic_version VALUES ('0027');
