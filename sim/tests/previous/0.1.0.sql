BEGIN TRANSACTION;
CREATE TABLE _sqlx_migrations (
    version BIGINT PRIMARY KEY,
    description TEXT NOT NULL,
    installed_on TIMESTAMP NOT NULL DEFAULT CURRENT_TIMESTAMP,
    success BOOLEAN NOT NULL,
    checksum BLOB NOT NULL,
    execution_time BIGINT NOT NULL
);
INSERT INTO "_sqlx_migrations" VALUES(1,'facts, limits, captchas, chat and images','2026-11-24 14:58:11',1,X'F6D2CD2E7DD9B2D23F81426688DE2425423304E63F7A7217CCBFBC811BEB685FA095F36491AA59F08599DC67378862D2',7854125);
INSERT INTO "_sqlx_migrations" VALUES(2,'several processes over one database','2026-11-24 14:58:11',1,X'9BF621A59DA665F50F4C0A9890CCAE67F36A882AE7CC381C76CBA01BE95A5F13A20E3BE60259F85ADC41B8ED2CEF798A',2293469);
INSERT INTO "_sqlx_migrations" VALUES(3,'what was written after a savepoint is found without reading the rest','2026-11-24 14:58:11',1,X'C7EE310A416E59F7DBEB6D5A4732629397E1BA2180E9B6C87C3F48E69C90385B84C32750E1F8150932321ADC08FFDAE1',811681);
CREATE TABLE captcha_uses (hash TEXT PRIMARY KEY, number BIGINT NOT NULL);
CREATE TABLE captchas (hash TEXT PRIMARY KEY, expires_at BIGINT NOT NULL, number BIGINT NOT NULL);
INSERT INTO "captchas" VALUES('b677be8280a8d73c49e79391b82b42f6cf487eea6419f2aec4be399937351bb9',1772625900,25);
CREATE TABLE facts (number BIGINT PRIMARY KEY, once TEXT UNIQUE, body TEXT NOT NULL);
INSERT INTO "facts" VALUES(1,NULL,'{"fact":"referral_code","wallet":"0x9a27718e022659a86026967431a56359879c5ef9","code":"REF-TITXDDQC","at":1772452800}');
INSERT INTO "facts" VALUES(2,NULL,'{"fact":"referral_code","wallet":"0x65ddbb8eb199b8152eb88a0d6b2075207d761eee","code":"REF-MXO3XDVR","at":1772452800}');
INSERT INTO "facts" VALUES(3,NULL,'{"fact":"referral_code","wallet":"0x0c19243069d054fc6305b7ce957d7827d25e79dc","code":"REF-BQMSIMDJ","at":1772452800}');
INSERT INTO "facts" VALUES(4,NULL,'{"fact":"referral_code","wallet":"0xdbc4adf19ebc70dc4095203ffb1b301f04cf1b66","code":"REF-3PCK34M6","at":1772452800}');
INSERT INTO "facts" VALUES(5,NULL,'{"fact":"referral_code","wallet":"0x5f667980a374417111680ec1a607a2cc375724d1","code":"REF-L5THTAFD","at":1772452800}');
INSERT INTO "facts" VALUES(6,NULL,'{"fact":"referral_code","wallet":"0x4e7e46afcca14cf0d405c8aeec521f22d510a8a6","code":"REF-JZ7ENL6M","at":1772452800}');
INSERT INTO "facts" VALUES(7,NULL,'{"fact":"referral_code","wallet":"0xc7911a60583dd5f48be7e0c76ef5d5c8f1b8bc2e","code":"REF-Y6IRUYCY","at":1772452800}');
INSERT INTO "facts" VALUES(8,NULL,'{"fact":"referral_code","wallet":"0x914c0cf6c940ae7fdc9a9ec6b5c5b8c386a52c83","code":"REF-SFGAZ5WJ","at":1772452800}');
INSERT INTO "facts" VALUES(9,NULL,'{"fact":"referral_code","wallet":"0x7d96efc6e2ec1198db8165bfb37458c713ba89b6","code":"REF-PWLO7RXC","at":1772452800}');
INSERT INTO "facts" VALUES(10,NULL,'{"fact":"referral_code","wallet":"0x78c0409c1bb7cf35e410ae8b4b9958d904f7ce92","code":"REF-PDAEBHA3","at":1772452800}');
INSERT INTO "facts" VALUES(11,NULL,'{"fact":"referral_code","wallet":"0x8a6e64f6edbc6d201312906560a30cd548c42144","code":"REF-RJXGJ5XN","at":1772452800}');
INSERT INTO "facts" VALUES(12,NULL,'{"fact":"referral_code","wallet":"0xe1dd0d4affec440488abd78c3da731c4173b21cb","code":"REF-4HOQ2SX7","at":1772452800}');
INSERT INTO "facts" VALUES(13,NULL,'{"fact":"referred","wallet":"0x43c0a8666b577ea521dacec57ae931c97cb42b2c","referrer":"0x65ddbb8eb199b8152eb88a0d6b2075207d761eee","at":1772452800}');
INSERT INTO "facts" VALUES(14,NULL,'{"fact":"referred","wallet":"0x45e4457e9915e53e48e67ab712eb23bb7c18fec6","referrer":"0x4e7e46afcca14cf0d405c8aeec521f22d510a8a6","at":1772474400}');
INSERT INTO "facts" VALUES(15,NULL,'{"fact":"referred","wallet":"0xf9d78e16a20bd87e843f39b2cff81c13f44a4aaa","referrer":"0x78c0409c1bb7cf35e410ae8b4b9958d904f7ce92","at":1772496000}');
INSERT INTO "facts" VALUES(16,NULL,'{"fact":"referred","wallet":"0x9cffb8b09900d15584daa596e8ea85ea36909943","referrer":"0x65ddbb8eb199b8152eb88a0d6b2075207d761eee","at":1772517600}');
INSERT INTO "facts" VALUES(17,NULL,'{"fact":"referred","wallet":"0x80acad7cdebabf1e31d97b9c7e65fc0c44740506","referrer":"0x4e7e46afcca14cf0d405c8aeec521f22d510a8a6","at":1772539200}');
INSERT INTO "facts" VALUES(18,NULL,'{"fact":"referred","wallet":"0xabbb26af1fa3463fc3506efbf0312cd90be10723","referrer":"0x78c0409c1bb7cf35e410ae8b4b9958d904f7ce92","at":1772560800}');
INSERT INTO "facts" VALUES(19,NULL,'{"fact":"referred","wallet":"0x539406ce4d5188de3611f5d760bedf071a8b5b8d","referrer":"0x65ddbb8eb199b8152eb88a0d6b2075207d761eee","at":1772582400}');
INSERT INTO "facts" VALUES(20,NULL,'{"fact":"referred","wallet":"0x98e6200308ab0fe0a4fa945d8cac60e34931b41c","referrer":"0x4e7e46afcca14cf0d405c8aeec521f22d510a8a6","at":1772604000}');
INSERT INTO "facts" VALUES(21,NULL,'{"fact":"token_disabled","token":"0x3b891b9c0fd9270161df8f3eee850323c3eb9f64","disabled":true}');
INSERT INTO "facts" VALUES(22,NULL,'{"fact":"token_disabled","token":"0x7d1252968921cc23e417e714a820c105ab2ab3a2","disabled":true}');
INSERT INTO "facts" VALUES(24,'referral of 0x000000000000000000000000000000000000cafE','{"fact":"referred","wallet":"0x000000000000000000000000000000000000cafe","referrer":"0x000000000000000000000000000000000000beef","at":1772625600}');
CREATE TABLE images (hash TEXT PRIMARY KEY, media_type TEXT NOT NULL, body BLOB NOT NULL, number BIGINT NOT NULL);
CREATE TABLE messages (
        number BIGINT PRIMARY KEY,
        token TEXT NOT NULL,
        sender TEXT NOT NULL,
        body BLOB NOT NULL,
        at BIGINT NOT NULL
    );
CREATE TABLE progress (
        last BIGINT NOT NULL,
        pinned BIGINT NOT NULL,
        at BIGINT NOT NULL
    , rewinds BIGINT NOT NULL DEFAULT 0, clock TEXT);
INSERT INTO "progress" VALUES(25,0,1772625600,0,NULL);
CREATE TABLE uses (rule TEXT NOT NULL, key TEXT NOT NULL, at BIGINT NOT NULL, number BIGINT NOT NULL);
INSERT INTO "uses" VALUES('referral-register-rate','127.0.0.1',1772625600,23);
CREATE INDEX uses_by_key ON uses (rule, key, at);
CREATE INDEX uses_by_time ON uses (rule, at);
CREATE INDEX messages_by_token ON messages (token, number);
CREATE INDEX uses_by_number ON uses (number);
CREATE INDEX captchas_by_number ON captchas (number);
CREATE INDEX captcha_uses_by_number ON captcha_uses (number);
CREATE INDEX images_by_number ON images (number);
COMMIT;
