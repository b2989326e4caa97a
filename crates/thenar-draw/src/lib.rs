//! Software drawing of hands and scenes to PNG, without a GPU.
