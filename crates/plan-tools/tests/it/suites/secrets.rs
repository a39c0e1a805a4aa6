//! Secrets in a file and in a folder of files.

use plan_testkit::secret_suite::{Fixture, Fresh};
use plan_tools::FileSecrets;
use serde_json::{Map, Value};

mod in_a_file {
    use super::*;

    struct OneFile;

    fn text(secrets: &[(&str, &str)]) -> String {
        let members: Map<String, Value> = secrets
            .iter()
            .map(|(name, value)| ((*name).to_owned(), (*value).into()))
            .collect();
        Value::Object(members).to_string()
    }

    impl Fresh for OneFile {
        fn fresh(&self, secrets: &[(&str, &str)]) -> Fixture {
            let folder = tempfile::tempdir().unwrap();
            let (path, broken) = (folder.path().join("it"), folder.path().join("broken"));
            std::fs::write(&path, text(secrets)).unwrap();
            std::fs::write(&broken, text(secrets)).unwrap();
            let unreachable = FileSecrets::open(&broken).unwrap();
            std::fs::write(&broken, format!("[{}", text(secrets))).unwrap();
            Fixture::new(FileSecrets::open(&path).unwrap())
                .unreachable(unreachable)
                .changing(move |name, value| {
                    std::fs::write(&path, text(&[(name, value)])).unwrap();
                })
                .keeping(folder)
        }
    }

    plan_testkit::secret_suite!(OneFile);
}

mod in_a_folder {
    use super::*;

    struct Files;

    impl Fresh for Files {
        fn fresh(&self, secrets: &[(&str, &str)]) -> Fixture {
            let folder = tempfile::tempdir().unwrap();
            let path = folder.path().to_owned();
            for (name, value) in secrets {
                std::fs::write(path.join(name), value).unwrap();
            }
            let broken = tempfile::tempdir().unwrap();
            std::fs::write(broken.path().join("A"), b"\xff\xfe").unwrap();
            Fixture::new(FileSecrets::open(&path).unwrap())
                .unreachable(FileSecrets::open(broken.path()).unwrap())
                .changing(move |name, value| std::fs::write(path.join(name), value).unwrap())
                .keeping((folder, broken))
        }
    }

    plan_testkit::secret_suite!(Files);
}
